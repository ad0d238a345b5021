//! x
#[tokio::main]
async fn main() { let d=std::path::PathBuf::from(std::env::args().nth(1).unwrap()); let r=llm::local::pull(&d,&mut |p| println!("{p:?}")).await; println!("{r:?}"); if let Err(e)=r { println!("{} {:?}",e,e.hints()); } }
